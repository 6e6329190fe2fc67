'use strict';
// A worker that answers one question at a time, begun by the first. `stop` ends what it does; the next question begins anew.
class PicklockEngine {
  constructor(module) {
    this.module = module;
    this.waiting = new Map();
    this.next = 1;
    this.worker = null;
  }

  begin() {
    const source = [picklockWasi, picklockStart, picklockWorker].join('\n');
    const url = URL.createObjectURL(new Blob([`'use strict';\n${source}\npicklockWorker(self);`], { type: 'text/javascript' }));
    this.worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.postMessage({ module: this.module });
  }

  hear(data) {
    const asked = this.waiting.get(data.id);
    if (!asked) return;
    if (data.part || data.explained) return void asked.part(data.part || data.explained);
    this.waiting.delete(data.id);
    if (data.failed !== undefined) asked.reject(new Error(data.failed));
    else asked.resolve(data.answer);
  }

  ask(what, question, more = {}, part = () => {}) {
    if (!this.worker) this.begin();
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, part });
      this.worker.postMessage({ id, what, question, ...more });
    });
  }

  get busy() { return this.waiting.size > 0; }

  stop() {
    const stopped = [...this.waiting.values()];
    this.waiting.clear();
    this.end();
    for (const asked of stopped) asked.reject(new Error('stopped'));
  }

  end() {
    if (this.worker) this.worker.terminate();
    this.worker = null;
  }
}
