const IDLE_MS = 60_000;

let lastInput = Date.now();
for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart', 'focus'] as const) {
  addEventListener(type, () => void (lastInput = Date.now()), { capture: true, passive: true });
}

/** Whether the user has used the page within the last minute. */
export const isUserActive = (): boolean => Date.now() - lastInput < IDLE_MS;
