/**
 * The form in which what people wrote is compared and searched: two texts that look the same but for their case are the
 * same in it, however their accents are put together (Unicode Standard Annex #15, form C).
 */
export const comparableText = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');
