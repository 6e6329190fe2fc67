'use strict';
// Tabs of a part of the page: buttons with data-tab, and the panel of that class. Arrow keys move among them. `opened` hears of
// the one that is shown.
function picklockTabs(root, opened) {
  const buttons = [...root.querySelectorAll('[role="tab"]')], panel = (button) => root.querySelector(`[role="tabpanel"].${button.dataset.tab}`);
  function show(name) {
    for (const button of buttons) {
      const chosen = button.dataset.tab === name;
      button.setAttribute('aria-selected', String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      panel(button).hidden = !chosen;
    }
    opened(name);
    return buttons.find((button) => button.dataset.tab === name);
  }
  const choose = (name) => {
    const button = show(name), strip = button.parentElement;
    strip.scrollLeft = Math.min(Math.max(strip.scrollLeft, button.offsetLeft + button.offsetWidth - strip.clientWidth - strip.offsetLeft), button.offsetLeft - strip.offsetLeft);
    return button;
  };
  buttons.forEach((button, place) => {
    const id = `tab-${Math.random().toString(36).slice(2)}`;
    button.id = id;
    panel(button).setAttribute('aria-labelledby', id);
    button.addEventListener('click', () => choose(button.dataset.tab));
    button.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const next = buttons[(place + step + buttons.length) % buttons.length];
      choose(next.dataset.tab).focus();
      event.preventDefault();
      event.stopPropagation();
    });
  });
  show(buttons[0].dataset.tab);
  return { show: choose, shown: () => buttons.find((b) => b.getAttribute('aria-selected') === 'true').dataset.tab };
}
