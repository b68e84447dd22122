import { useLocation, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { Tab, TabNav } from '../../ui/tab-nav.js';
import { text } from '../../texts/en/release.js';
import { useRelease } from './release.query.js';

/** The parts of a release. Each has a URL. The first one is also that of the release. */
const TABS = ['scope', 'evidence', 'checks', 'approvals', 'deployments', 'decisions', 'overrides', 'policy'] as const;

/** The number of entries of each part that the details state; null if it was never read. */
const countEntries = (details: Schema<'ReleaseDetails'>): Readonly<Record<string, number | null>> => ({
  scope: details.scope.observedAt === null ? null : details.scope.issues.length,
  evidence: details.evidence.length + details.moreEvidence,
  checks: details.checks.observedAt === null ? null : details.checks.reported.length,
  approvals: details.approvals.given,
});

/** The open part of a release below links to all parts. The position on the page stays, unless a link names the parts. */
export function ReleaseParts({ children }: { readonly children: ReactNode }) {
  const params = useParams({ from: '/session/w/$org/releases/$id' });
  const { pathname } = useLocation();
  const counts = countEntries(useRelease());
  const part = TABS.find((tab) => tab === pathname.split('/')[5]) ?? TABS[0];
  return (
    <section id="parts" tabIndex={-1} aria-label={text.shownPart(text.tabs[part])}>
      <TabNav label={text.parts}>
        {TABS.map((tab) => (
          <Tab
            key={tab}
            to={`/w/$org/releases/$id/${tab}`}
            params={params}
            resetScroll={false}
            counter={counts[tab]}
            {...(tab === part && { 'aria-current': 'page' as const })}
          >
            {text.tabs[tab]}
          </Tab>
        ))}
      </TabNav>
      {children}
    </section>
  );
}
