const PLURAL = new Intl.PluralRules('en');
const NUMBER = new Intl.NumberFormat('en');

export const formatNumber = (value: number): string => NUMBER.format(value);

/** Formats a count with its noun, for example "1 release" and "2 releases". */
export const counted = (count: number, one: string, other: string): string =>
  `${NUMBER.format(count)} ${PLURAL.select(count) === 'one' ? one : other}`;

const CHANGE = new Intl.NumberFormat('en', { signDisplay: 'exceptZero', maximumFractionDigits: 2 });

/** Formats a change with its sign, for example "+2.5". */
export const formatChange = (value: number): string => CHANGE.format(value);

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** Formats a share from 0 to 1, for example "12.5%". */
export const formatShare = (value: number): string => PERCENT.format(value);
