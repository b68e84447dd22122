import { TextInput } from '@primer/react';
import { Field } from '../../../ui/field.js';
import { text } from '../../../texts/en/overrides.js';

const MAX_LENGTH = 500;

interface TextFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Why the override is needed. */
export function ReasonField({ value, onChange }: TextFieldProps) {
  return (
    <Field label={text.reason} hint={text.reasonHint}>
      {(attributes) => (
        <TextInput
          {...attributes}
          block
          maxLength={MAX_LENGTH}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** The version, typed again, so that no admin opens the gate of another release. */
export function VersionField({ version, value, onChange }: TextFieldProps & { readonly version: string }) {
  return (
    <Field label={text.typeVersion(version)}>
      {(attributes) => (
        <TextInput
          {...attributes}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
