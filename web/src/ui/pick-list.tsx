import { useId, type ReactNode } from 'react';
import classes from './pick-list.module.css';
import { SearchField } from './search-field.js';

export interface PickOptionsProps<Value> {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly name: string; readonly note?: ReactNode }[];
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value) => void;
}

interface PickListProps<Value> extends PickOptionsProps<Value> {
  readonly searchLabel: string;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** The text if nothing matches. */
  readonly none: string;
}

/** A search with one choice among its results. */
export function PickList<Value extends string | null>({
  searchLabel,
  search,
  onSearch,
  none,
  ...options
}: PickListProps<Value>) {
  return (
    <>
      <SearchField label={searchLabel} value={search} onSearch={onSearch} />
      <PickOptions {...options}>{options.options.length === 0 && <p className="quiet">{none}</p>}</PickOptions>
    </>
  );
}

/** One choice among these options. */
export function PickOptions<Value extends string | null>({
  label,
  options,
  chosen,
  onChoose,
  children,
}: PickOptionsProps<Value> & { readonly children?: ReactNode }) {
  const group = useId();
  return (
    <fieldset className={classes['list']}>
      <legend className="sr-only">{label}</legend>
      {options.map(({ value, name, note }) => (
        <label key={value} className={classes['option']}>
          <input type="radio" name={group} checked={value === chosen} onChange={() => onChoose(value)} />
          <span>{name}</span>
          {note !== undefined && <span className="quiet">{note}</span>}
        </label>
      ))}
      {children}
    </fieldset>
  );
}
