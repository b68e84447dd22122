import { withKeys } from '../../ui/list-keys.js';
import classes from './sentences.module.css';

interface SentencesProps {
  /** Sentences of the service. */
  readonly items: readonly string[];
}

/** Sentences of the service as a list, unchanged. */
export function Sentences({ items }: SentencesProps) {
  return (
    <ul lang="en" className={classes['list']}>
      {withKeys([...new Set(items)]).map(([key, sentence]) => (
        <li key={key}>{sentence}</li>
      ))}
    </ul>
  );
}
