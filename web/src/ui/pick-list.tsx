import { useId, type ReactNode } from 'react';
import classes from './pick-list.module.css';
import { SearchField } from './search-field.js';

interface PickListProps<Value> {
  readonly label: string;
  readonly searchLabel: string;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly options: readonly { readonly value: Value; readonly name: string; readonly note?: ReactNode }[];
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value) => void;
  /** Says that nothing matches. */
  readonly none: string;
}

/** A search with one choice among its results. */
export function PickList<Value extends string | null>({
  label,
  searchLabel,
  search,
  onSearch,
  options,
  chosen,
  onChoose,
  none,
}: PickListProps<Value>) {
  const group = useId();
  return (
    <>
      <SearchField label={searchLabel} value={search} onSearch={onSearch} />
      <fieldset className={classes['list']}>
        <legend className="sr-only">{label}</legend>
        {options.map(({ value, name, note }) => (
          <label key={value} className={classes['option']}>
            <input type="radio" name={group} checked={value === chosen} onChange={() => onChoose(value)} />
            <span>{name}</span>
            {note !== undefined && <span className="quiet">{note}</span>}
          </label>
        ))}
        {options.length === 0 && <p className="quiet">{none}</p>}
      </fieldset>
    </>
  );
}
