/** A dialog gives the focus back a little after it has closed. */
const PAUSE_MS = 100;

/**
 * Returns the focus to the screen when the focused element disappears or becomes inert, for example a button whose row its action has deleted.
 * The nearest heading gets the focus, so that keyboards and screen readers go on from there.
 */
export function restoreFocus(): void {
  let last: Element | null = null;
  /** The last focused element of the content with its ancestors, the innermost first. A dialog or a notice is outside of the content. */
  let path: readonly Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isLost = (): boolean => last !== null && !isUsable(last) && document.activeElement === document.body;
  const check = (): void => {
    if (!isLost()) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isLost()) focusHeading(path);
    }, PAUSE_MS);
  };

  addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    last = target;
    if (target.closest('main')) path = listAncestors(target);
  });
  addEventListener('focusout', ({ target }) => {
    // The user has left an element that is still there, so nothing is lost when it disappears later.
    setTimeout(() => {
      if (last !== null && last === target && isUsable(last) && document.activeElement === document.body) last = null;
    });
  });
  new MutationObserver(check).observe(document.body, { childList: true, subtree: true, attributeFilter: ['inert'] });
}

const isUsable = (element: Element): boolean => element.isConnected && element.closest('[inert]') === null;

function listAncestors(element: Element): readonly Element[] {
  const ancestors: Element[] = [];
  for (let one: Element | null = element; one; one = one.parentElement) ancestors.push(one);
  return ancestors;
}

/** Focuses the first heading of the innermost part that still exists and has one. */
function focusHeading(path: readonly Element[]): void {
  const parts = path.filter(
    (element) => isUsable(element) && element.closest('main') !== null && element.tagName !== 'MAIN',
  );
  const heading =
    parts.map((part) => part.querySelector<HTMLElement>('h2, h3')).find((found) => found !== null) ??
    document.querySelector<HTMLElement>('main h1');
  if (!heading) return;
  if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
