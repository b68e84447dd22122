import { Select, TextInput } from '@primer/react';
import { useId, type ReactNode } from 'react';
import classes from './filters.module.css';
import { usePausedInput } from './use-paused-input.js';

/** The filters above a list, with labels. `note` explains them, for example the time zone of days. */
export function Filters({
  label,
  note,
  children,
}: {
  readonly label: string;
  readonly note?: string;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className={classes['filters']}>
      <legend className="sr-only">{label}</legend>
      {children}
      {note !== undefined && <p className="quiet">{note}</p>}
    </fieldset>
  );
}

interface FilterSelectProps<Value extends string> {
  readonly label: string;
  /** The text of the option that does not filter. */
  readonly all: string;
  readonly value: Value | undefined;
  readonly options: readonly (readonly [value: Value, text: string])[];
  /** The title of the group of an option. Absent: the options have no groups. */
  readonly groupOf?: (value: Value) => string;
  readonly onChange: (value: Value | undefined) => void;
}

/** A filter with a fixed choice. The value of the URL is shown even if it is not among the options. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, all, value, options, groupOf, onChange } = props;
  const id = useId();
  const groups = groupOf && [...new Set(options.map(([option]) => groupOf(option)))];
  const isListed = value === undefined || options.some(([option]) => option === value);
  return (
    <div className={classes['filter']}>
      <label htmlFor={id}>{label}</label>
      <Select
        id={id}
        block
        value={value ?? ''}
        onChange={({ target }) => onChange(options.find(([option]) => option === target.value)?.[0])}
      >
        <Select.Option value="">{all}</Select.Option>
        {!isListed && <Select.Option value={value}>{value}</Select.Option>}
        {groups
          ? groups.map((title) => (
              <Select.OptGroup key={title} label={title}>
                {options.filter(([option]) => groupOf(option) === title).map(toOption)}
              </Select.OptGroup>
            ))
          : options.map(toOption)}
      </Select>
    </div>
  );
}

const toOption = ([value, text]: readonly [value: string, text: string]) => (
  <Select.Option key={value} value={value}>
    {text}
  </Select.Option>
);

interface FilterInputProps {
  readonly label: string;
  readonly type?: 'text' | 'date';
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A filter that the user types. It takes effect after a pause. */
export function FilterInput({ label, type = 'text', value, onChange }: FilterInputProps) {
  const id = useId();
  const { text, setText } = usePausedInput(value ?? '', (typed) => onChange(typed === '' ? undefined : typed));
  return (
    <div className={classes['filter']}>
      <label htmlFor={id}>{label}</label>
      <TextInput id={id} block type={type} value={text} onChange={({ target }) => setText(target.value)} />
    </div>
  );
}
