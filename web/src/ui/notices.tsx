import { Button, IconButton } from '@primer/react';
import { XIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { common } from '../texts/en/common.js';
import { announce } from './announce.js';
import { isShortcut } from './shortcut-guard.js';
import classes from './notices.module.css';

/** How long an action can be undone. */
const UNDO_MS = 10_000;
const UNDO_KEY = 'z';

/** A link to the object that an action has created. */
export interface NoticeLink {
  readonly title: string;
  readonly href: string;
}

interface Notice {
  readonly text: string;
  readonly link: NoticeLink | null;
  readonly undo: (() => Promise<unknown>) | null;
}

let current: Notice | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function show(notice: Notice | null): void {
  clearTimeout(timer);
  current = notice;
  if (notice !== null) timer = setTimeout(() => show(null), UNDO_MS);
  for (const listener of listeners) listener();
}

/** Shows that an action is done. If `undo` is given, the user can take the action back for ten seconds. */
export function notify(
  text: string,
  { undo = null, link = null }: { undo?: (() => Promise<unknown>) | null; link?: NoticeLink | null } = {},
): void {
  announce(text);
  show({ text, undo, link });
}

/** Removes the notice of an earlier action, so that no user takes that one back by mistake. */
export const dismissNotice = (): void => show(null);

function undoCurrent(): void {
  const undo = current?.undo;
  if (!undo) return;
  show(null);
  undo().then(
    () => notify(common.undone),
    (error: unknown) => {
      announce(common.undoFailed, 'assertive');
      show({ text: `${common.undoFailed} ${error instanceof Error ? error.message : ''}`, undo: null, link: null });
    },
  );
}

/** The last notice, at the lower edge of the window. */
export function Notices() {
  const notice = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
  const canUndo = Boolean(notice?.undo);
  useEffect(() => {
    if (!canUndo) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== UNDO_KEY || !isShortcut(event)) return;
      event.preventDefault();
      undoCurrent();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [canUndo]);
  if (notice === null) return null;
  return (
    <section aria-label={common.notice} className={classes['notice']}>
      <span>{notice.text}</span>
      {notice.link && (
        <Link to={notice.link.href} onClick={dismissNotice}>
          {notice.link.title}
        </Link>
      )}
      {notice.undo && (
        <Button size="small" onClick={undoCurrent} aria-keyshortcuts={UNDO_KEY}>
          {common.undo}
        </Button>
      )}
      <IconButton size="small" variant="invisible" icon={XIcon} aria-label={common.dismiss} onClick={dismissNotice} />
    </section>
  );
}
