import { TextInput } from '@primer/react';
import { useId, type ComponentProps, type ReactNode } from 'react';
import { common } from '../texts/en/common.js';
import classes from './field.module.css';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
  /** Renders the input. It must get these attributes. */
  readonly children: (attributes: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': boolean;
  }) => ReactNode;
}

/** A label, an input, a hint and an error, connected for screen readers. */
export function Field({ label, hint, error, isOptional = false, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={classes['field']}>
      <label htmlFor={id}>
        {label} {isOptional && <span className={classes['hint']}>({common.optional})</span>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error !== undefined })}
      {hint !== undefined && (
        <div id={`${id}-hint`} className={classes['hint']}>
          {hint}
        </div>
      )}
      {error !== undefined && (
        <div id={`${id}-error`} role="alert" className={classes['error']}>
          {error}
        </div>
      )}
    </div>
  );
}

type TextInputProps = ComponentProps<typeof TextInput>;

interface TextFieldProps
  extends
    Omit<FieldProps, 'children'>,
    Pick<
      TextInputProps,
      'block' | 'disabled' | 'max' | 'maxLength' | 'min' | 'required' | 'spellCheck' | 'step' | 'type'
    > {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field for one line of text, or for a date. The browser does not suggest earlier values. */
export function TextField({ label, hint, error, isOptional, onChange, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} {...(isOptional !== undefined && { isOptional })}>
      {(attributes) => (
        <TextInput {...attributes} {...input} autoComplete="off" onChange={({ target }) => onChange(target.value)} />
      )}
    </Field>
  );
}
