import { useEffect, useEffectEvent, useState } from 'react';

const PAUSE_MS = 300;

/**
 * The text of a field that takes effect when the user pauses. `value` is the text in effect, for example in the URL; the field follows it,
 * for example after "back".
 */
export function usePausedInput(value: string, onPause: (value: string) => void) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    if (text.trim() !== value) setText(value);
  }
  const apply = useEffectEvent(onPause);
  useEffect(() => {
    if (text.trim() === known) return undefined;
    const timer = setTimeout(() => apply(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, known]);
  return { text, setText };
}
