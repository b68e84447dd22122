/** How long a place is kept while the rest of the screen still loads. */
const LOADING_MS = 3_000;
/** How long a subject is awaited. */
const WAIT_MS = 10_000;
/** With these the user takes over. */
const INPUTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Scrolls to the subject of a link and gives it the focus. While the rest of the screen loads, the subject stays in view until the user
 * does something. Returns a function that ends this.
 */
export function landOn(subject: HTMLElement): () => void {
  const show = (): void => subject.scrollIntoView();
  subject.focus({ preventScroll: true });
  show();
  const sizes = new ResizeObserver(show);
  sizes.observe(document.body);
  return stopAtInput(() => sizes.disconnect(), LOADING_MS);
}

/**
 * Lands on the element with this id as soon as it exists, unless the user does something before. Returns a function that ends the wait
 * and the landing.
 */
export function landOnId(id: string): () => void {
  const existing = document.getElementById(id);
  if (existing !== null) return landOn(existing);
  const changes = new MutationObserver(() => {
    const subject = document.getElementById(id);
    if (subject === null) return;
    end();
    end = landOn(subject);
  });
  changes.observe(document.body, { childList: true, subtree: true });
  let end = stopAtInput(() => changes.disconnect(), WAIT_MS);
  return () => end();
}

/** Calls `stop` at the next input of the user, and at the latest after this time. Returns a function that does so at once. */
function stopAtInput(stop: () => void, latestMs: number): () => void {
  const ended = new AbortController();
  const end = (): void => {
    stop();
    clearTimeout(timer);
    ended.abort();
  };
  const timer = setTimeout(end, latestMs);
  for (const input of INPUTS) addEventListener(input, end, { signal: ended.signal, passive: true });
  return end;
}
