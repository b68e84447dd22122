import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Schema } from '../../api/client.js';
import { runningQuery } from '../../release-ui/running-artifacts.query.js';
import { RunningArtifacts } from '../../release-ui/running-artifacts.js';
import { QueryRegion } from '../../ui/query-region.js';
import { Section } from '../../ui/section.js';
import { EmptyState } from '../../ui/states.js';
import { text } from '../../texts/en/running.js';

const ROUTE = '/session/w/$org/repositories/$repoId';

/** What CI stated about the artifacts of a repository that run, in all environments. */
export function RepositoryRunning({ repository }: { readonly repository: Schema<'Repository'> }) {
  const query = useQuery(runningQuery(repository, useSearch({ from: ROUTE }).runningPage));
  return (
    <Section title={text.title}>
      <QueryRegion query={query} failed={text.failed}>
        {(running, isStale) =>
          running.pagination.total > 0 ? (
            <>
              <RunningArtifacts running={running} isStale={isStale} />
              <p className="quiet">{text.notRequiredHint}</p>
            </>
          ) : (
            <EmptyState title={text.none}>
              <p>{text.noneHint}</p>
              <p>
                <code>{text.command}</code>
              </p>
            </EmptyState>
          )
        }
      </QueryRegion>
    </Section>
  );
}
