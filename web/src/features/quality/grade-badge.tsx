import type { Schema } from '../../api/client.js';
import { text } from '../../texts/en/quality.js';
import classes from './quality.module.css';

const VARIANTS: Readonly<Record<NonNullable<Schema<'Scorecard'>['grade']>, string>> = {
  A: 'good',
  B: 'good',
  C: 'middling',
  D: 'poor',
  F: 'poor',
};

/** The grade of a scorecard as a letter. */
export function GradeBadge({ grade }: Pick<Schema<'Scorecard'>, 'grade'>) {
  if (grade === null) return <span className="quiet">{text.noGrade}</span>;
  return (
    <span className={`${classes['grade']} ${classes[VARIANTS[grade]] ?? ''}`}>
      <span className="sr-only">{text.gradeBefore} </span>
      {grade}
    </span>
  );
}
