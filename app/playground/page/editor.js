'use strict';
// An editor of a text: numbers of lines, marks on those with errors, and the errors in words below.
//
//   const editor = picklockEditor(holder, 'Scenario as TOML', (text) => …);   // told a moment after the last key
//   editor.text = '…'; editor.show([{ line, column, text }]); editor.goTo(line, column)
function picklockEditor(holder, label, changed) {
  const MOMENT_MS = 250;
  const make = (tag, attributes = {}) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const gutter = make('div', { class: 'gutter', 'aria-hidden': 'true' });
  const area = make('textarea', { spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', rows: '22', wrap: 'off', 'aria-label': label });
  const list = make('ul', { class: 'editor-errors', role: 'alert' });
  const box = make('div', { class: 'lines' });
  box.append(gutter, area);
  holder.append(box, list);

  let wrong = new Set(), count = 0, waiting = 0;
  function number() {
    const lines = area.value.split('\n').length;
    if (lines !== count) {
      count = lines;
      gutter.replaceChildren(...Array.from({ length: lines }, (_, i) => Object.assign(document.createElement('div'), { textContent: i + 1 })));
    }
    [...gutter.children].forEach((line, i) => line.classList.toggle('wrong', wrong.has(i + 1)));
    gutter.scrollTop = area.scrollTop;
    const height = parseFloat(getComputedStyle(area).lineHeight), top = parseFloat(getComputedStyle(area).paddingTop);
    const stripes = [...wrong];
    area.style.backgroundImage = stripes.map(() => 'linear-gradient(var(--wrong-line), var(--wrong-line))').join(',');
    area.style.backgroundPosition = stripes.map((line) => `0 ${top + (line - 1) * height}px`).join(',');
    area.style.backgroundSize = stripes.map(() => `100% ${height}px`).join(',');
  }
  function goTo(line, column) {
    const lines = area.value.split('\n');
    const at = lines.slice(0, Math.max(line - 1, 0)).reduce((sum, l) => sum + l.length + 1, 0) + Math.max(column - 1, 0);
    area.focus();
    area.setSelectionRange(at, Math.min(at + 1, area.value.length));
    area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, line - 5);
  }
  function show(errors) {
    wrong = new Set(errors.map((e) => e.line).filter((line) => line > 0));
    list.replaceChildren(...errors.map((e) => {
      const item = make('li'), button = make('button', { type: 'button' });
      button.textContent = e.text;
      button.addEventListener('click', () => goTo(e.line || 1, e.column || 1));
      item.append(button);
      return item;
    }));
    number();
  }
  area.addEventListener('scroll', () => { gutter.scrollTop = area.scrollTop; });
  area.addEventListener('input', () => {
    number();
    clearTimeout(waiting);
    waiting = setTimeout(() => changed(area.value), MOMENT_MS);
  });
  return {
    get text() { return area.value; },
    set text(text) {
      clearTimeout(waiting);
      if (area.value === text) return;
      area.value = text;
      show([]);
    },
    show,
    goTo,
    redraw: number,
  };
}
