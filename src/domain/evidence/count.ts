/** Whether the value counts something: numbers come from reports of others, and NaN, Infinity and -1 count nothing. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
