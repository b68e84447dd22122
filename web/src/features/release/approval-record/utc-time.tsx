import { formatUtc } from '../../../ui/format-time.js';

/** A time in UTC. It reads the same for every reader and on paper. */
export const UtcTime = ({ date }: { readonly date: string }) => (
  <time dateTime={date}>{formatUtc(Date.parse(date))}</time>
);
