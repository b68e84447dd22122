import type { UseQueryResult } from '@tanstack/react-query';
import type { Schema } from '../../api/client.js';
import { RunningArtifacts } from '../../release-ui/running-artifacts.js';
import { QueryError } from '../../ui/query-region.js';
import { Section } from '../../ui/section.js';
import { text } from '../../texts/en/running.js';

interface NotApprovedProps {
  readonly org: string;
  readonly query: UseQueryResult<Schema<'Running'>>;
}

/** What runs and is not approved. Nothing if there is nothing. */
export function NotApproved({ org, query }: NotApprovedProps) {
  const { data, error, isPlaceholderData } = query;
  return (
    <>
      <QueryError query={query} failed={text.failed} />
      {data !== undefined && data.pagination.total > 0 && (
        <Section title={text.notApprovedTitle}>
          <p>{text.hint}</p>
          <RunningArtifacts running={data} isStale={isPlaceholderData || error !== null} org={org} />
        </Section>
      )}
    </>
  );
}
