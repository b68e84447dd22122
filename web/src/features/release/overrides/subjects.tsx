import type { Schema } from '../../../api/client.js';
import { text } from '../../../texts/en/overrides.js';
import classes from '../sentences.module.css';

/** More subjects are folded, because a waiver may cover hundreds. */
const MOST_UNFOLDED = 10;

/** The subjects that a waiver covers, each with its number if there are several equal ones. */
export function Subjects({ items }: { readonly items: readonly Schema<'Subject'>[] }) {
  // Two subjects may have the same label, and each of them is shown.
  const list = (
    <ul lang="en" className={classes['list']}>
      {items.map(({ id, label, count }) => (
        <li key={id}>{count === 1 ? label : text.timesSubject(count, label)}</li>
      ))}
    </ul>
  );
  if (items.length <= MOST_UNFOLDED) return list;
  return (
    <details>
      <summary>{text.subjects(items.length)}</summary>
      {list}
    </details>
  );
}
