/**
 * The form in which what people wrote is compared and searched: in it neither case tells two texts apart, nor how their
 * accents are put together (Unicode Standard Annex #15, form C).
 */
export const comparableText = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');
