'use strict';
// The page of one run: sentences link to their places in its picture.
(() => {
  const view = runView(document, JSON.parse(document.getElementById('data').textContent));
  for (const link of document.querySelectorAll('[data-from]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const { from, until, row } = link.dataset;
      view.place(Number(from), Number(until), Number(row), link.textContent);
    });
  }
})();
