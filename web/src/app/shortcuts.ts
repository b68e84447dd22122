/** The single keys of the dashboard. `g` and then one of these opens a screen. */
const SCREEN_KEYS = {
  r: 'releases',
  v: 'reviews',
  q: 'quality',
  p: 'projects',
  h: 'history',
  o: 'repositories',
  f: 'freezes',
} as const;

export type Shortcut =
  | { readonly open: (typeof SCREEN_KEYS)[keyof typeof SCREEN_KEYS] }
  | 'help'
  | 'search'
  | 'next-row'
  | 'previous-row'
  | 'refresh';

const KEYS: Readonly<Record<string, Shortcut>> = {
  '?': 'help',
  '/': 'search',
  j: 'next-row',
  k: 'previous-row',
  r: 'refresh',
};

const SEQUENCE_MS = 1_500;

/** Recognizes shortcuts in the keys that a user presses. Time is in milliseconds. */
export class ShortcutReader {
  private startedAt = Number.NEGATIVE_INFINITY;

  read(key: string, now: number): Shortcut | null {
    const isSecond = now - this.startedAt <= SEQUENCE_MS;
    this.startedAt = key === 'g' && !isSecond ? now : Number.NEGATIVE_INFINITY;
    if (isSecond)
      return Object.hasOwn(SCREEN_KEYS, key) ? { open: SCREEN_KEYS[key as keyof typeof SCREEN_KEYS] } : null;
    return Object.hasOwn(KEYS, key) ? (KEYS[key] ?? null) : null;
  }
}
