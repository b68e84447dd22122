import type { ReactNode } from 'react';
import { TextField } from './field.js';
import { PickOptions, type PickOptionsProps } from './pick-list.js';

interface PickerProps extends Omit<PickOptionsProps<string>, 'label'> {
  readonly label: string;
  readonly optionsLabel: string;
  readonly hint: ReactNode;
  readonly error?: string | undefined;
  readonly text: string;
  /** Called at each change, and also for a value that is none of the options. */
  readonly onText: (text: string) => void;
  /** How many options there are, or that they are being loaded. Announced politely. */
  readonly status: string;
}

/** A text field with one choice among the values that match it. A value that is known can be typed and sent without waiting for them. */
export function Picker({ label, optionsLabel, hint, error, text, onText, status, ...options }: PickerProps) {
  return (
    <>
      <TextField label={label} hint={hint} error={error} block spellCheck={false} value={text} onChange={onText} />
      <output className="quiet">{status}</output>
      <PickOptions label={optionsLabel} {...options} />
    </>
  );
}
