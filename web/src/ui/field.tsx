import { useId, type ReactNode } from 'react';
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
