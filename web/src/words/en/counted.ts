const PLURAL = new Intl.PluralRules('en');
const NUMBER = new Intl.NumberFormat('en');

export const formatNumber = (value: number): string => NUMBER.format(value);

/** Formats a count with its noun, for example "1 release" and "2 releases". */
export const counted = (count: number, one: string, other: string): string =>
  `${NUMBER.format(count)} ${PLURAL.select(count) === 'one' ? one : other}`;
