import { AlertIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import type { Schema } from '../../api/client.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { text } from '../../texts/en/repositories.js';
import classes from './warning-list.module.css';

interface WarningListProps {
  readonly warnings: readonly Schema<'RepositoryWarning'>[];
  /** The workspace, to link to the repositories. Without it the list belongs to one repository and does not name it. */
  readonly org?: string;
}

/** Warnings of repositories: the sentence of the service with the next step, and since when. */
export function WarningList({ warnings, org }: WarningListProps) {
  return (
    <ul aria-label={text.warnings} className={classes['warnings']}>
      {warnings.map(({ repoId, repo, code, detail, since }) => (
        <li key={`${repoId}-${code}`}>
          <AlertIcon />
          <div>
            {org !== undefined && (
              <>
                <Link to="/w/$org/repositories/$repoId" params={{ org, repoId }}>
                  {repo}
                </Link>{' '}
              </>
            )}
            <span lang="en">{detail}</span>
            {since !== null && (
              <span className="quiet">
                {' '}
                {text.since} <RelativeTime date={since} />
              </span>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
