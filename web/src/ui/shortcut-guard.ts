const STORED_OFF = 'shipgate-shortcuts-off';

/** Whether the user lets single keys act. Stored in this browser. */
export const areShortcutsOn = (): boolean => localStorage.getItem(STORED_OFF) === null;

export function setShortcutsOn(isOn: boolean): void {
  if (isOn) localStorage.removeItem(STORED_OFF);
  else localStorage.setItem(STORED_OFF, '1');
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Whether a key may act as a shortcut: not in a field, a menu or a dialog, and not if the user turned single keys off. */
export const isShortcut = ({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean =>
  !(ctrlKey || metaKey || altKey || defaultPrevented || isField(target)) &&
  areShortcutsOn() &&
  document.querySelector('[role="dialog"], [role="menu"]') === null;
