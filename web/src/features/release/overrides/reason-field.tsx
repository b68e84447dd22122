import { TextField } from '../../../ui/field.js';
import { text } from '../../../texts/en/overrides.js';

const MAX_LENGTH = 500;

interface TextFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Why the override is needed. */
export function ReasonField({ value, onChange }: TextFieldProps) {
  return (
    <TextField
      label={text.reason}
      hint={text.reasonHint}
      block
      maxLength={MAX_LENGTH}
      value={value}
      onChange={onChange}
    />
  );
}

/** The version, typed again, so that no admin opens the gate of another release. */
export function VersionField({ version, value, onChange }: TextFieldProps & { readonly version: string }) {
  return <TextField label={text.typeVersion(version)} spellCheck={false} value={value} onChange={onChange} />;
}
