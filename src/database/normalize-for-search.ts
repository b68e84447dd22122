/**
 * Returns the form in which texts of users are compared and searched. It ignores the case and the composition of
 * accents (Unicode Standard Annex #15, form C).
 */
export const normalizeForSearch = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');
