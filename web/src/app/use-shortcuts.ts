import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { areShortcutsOn, isShortcut, setShortcutsOn } from '../ui/shortcut-guard.js';
import { ShortcutReader, type Shortcut } from './shortcuts.js';

const ROW_HEADS = 'main tbody th[scope="row"]';

/** Runs the shortcuts of the dashboard, unless the user turned them off. They are inactive in fields and in dialogs. */
export function useShortcuts(org: string) {
  const [client, navigate] = [useQueryClient(), useNavigate()];
  const [isOn, setIsOn] = useState(areShortcutsOn);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);

  const run = useEffectEvent((shortcut: Shortcut): void => {
    if (typeof shortcut === 'object') {
      void navigate({ to: `/w/$org/${shortcut.open}`, params: { org } });
    } else if (shortcut === 'help') setIsHelpOpen(true);
    else if (shortcut === 'search') {
      const field = document.querySelector<HTMLElement>('main search input');
      if (field) field.focus();
      else setIsPaletteOpen(true);
    } else if (shortcut === 'refresh') void client.invalidateQueries();
    else moveRow(shortcut === 'next-row' ? 1 : -1);
  });

  useEffect(() => {
    if (!isOn) return undefined;
    const reader = new ShortcutReader();
    const onKey = (event: KeyboardEvent): void => {
      if (!isShortcut(event)) return;
      const shortcut = reader.read(event.key, event.timeStamp);
      if (shortcut === null) return;
      event.preventDefault();
      run(shortcut);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOn]);

  useEffect(() => {
    // Not a single key, so it works in fields, too, and cannot be turned off.
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || event.ctrlKey === event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (document.querySelector('[role="dialog"]') === null) setIsPaletteOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return {
    isOn,
    isPaletteOpen,
    openPalette: () => setIsPaletteOpen(true),
    closePalette: () => setIsPaletteOpen(false),
    isHelpOpen,
    openHelp: () => setIsHelpOpen(true),
    closeHelp: () => setIsHelpOpen(false),
    turn: (on: boolean) => {
      setShortcutsOn(on);
      setIsOn(on);
    },
  };
}

/** Moves the focus to the link of the next or previous row. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROW_HEADS)].flatMap(
    (head) => head.querySelector<HTMLElement>('a, button') ?? [],
  );
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step]?.focus();
}
