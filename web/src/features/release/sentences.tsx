import classes from './sentences.module.css';

interface SentencesProps {
  /** Sentences of the service. */
  readonly items: readonly string[];
}

/** Sentences of the service as a list, unchanged. */
export function Sentences({ items }: SentencesProps) {
  return (
    <ul lang="en" className={classes['list']}>
      {[...new Set(items)].map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
