import { type Markup, markup } from '../../../../http/html.js';

/** Text that somebody outside has chosen: set apart, so that one that runs from right to left turns nothing around it. */
export const foreign = (text: string): Markup => markup`<bdi>${text}</bdi>`;
