import { useEffect, useEffectEvent, useState } from 'react';

const PAUSE_MS = 300;

/** A field whose text takes effect when the user pauses. */
export interface PausedInput {
  readonly text: string;
  /** The text in effect. */
  readonly value: string;
  /** The texts that the field has sent and that are not in effect yet, oldest first. */
  readonly sent: readonly string[];
}

/**
 * Returns the field after another text has taken effect. A text that the field itself has sent changes nothing, because the user may have
 * typed on. Every other one replaces what was typed.
 */
export function receiveValue({ text, sent }: PausedInput, value: string): PausedInput {
  const at = sent.lastIndexOf(value);
  if (at !== -1) return { text, value, sent: sent.slice(at + 1) };
  return { text: text.trim() === value ? text : value, value, sent: [] };
}

/**
 * The text of a field that takes effect when the user pauses. `value` is the text in effect, for example in the URL; the field follows it,
 * for example after "back".
 */
export function usePausedInput(value: string, onPause: (value: string) => void) {
  const [input, setInput] = useState<PausedInput>({ text: value, value, sent: [] });
  if (value !== input.value) setInput(receiveValue(input, value));
  const typed = input.text.trim();
  const apply = useEffectEvent(() => {
    setInput((before) => ({ ...before, sent: [...before.sent, typed] }));
    onPause(typed);
  });
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(apply, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return { text: input.text, setText: (text: string) => setInput((before) => ({ ...before, text })) };
}
