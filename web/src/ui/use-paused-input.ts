import { useEffect, useEffectEvent, useState } from 'react';

const PAUSE_MS = 300;

/**
 * The text of a field that takes effect when the user pauses. `value` is the text in effect, for example in the URL; the field follows it,
 * for example after "back".
 */
export function usePausedInput(value: string, onPause: (value: string) => void) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const [applied, setApplied] = useState<string | null>(null);
  if (value !== known) {
    setKnown(value);
    setApplied(null);
    // The user may have typed more since the own text was applied.
    if (value !== applied) setText(value);
  }
  const apply = useEffectEvent(onPause);
  useEffect(() => {
    const typed = text.trim();
    if (typed === known) return undefined;
    const timer = setTimeout(() => {
      setApplied(typed);
      apply(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, known]);
  return { text, setText };
}
