import { useLocation, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Tab, TabNav } from '../../ui/tab-nav.js';
import { text } from '../../texts/en/release.js';

/** The parts of a release. Each has a URL. The first one is also that of the release. */
const TABS = ['scope', 'evidence', 'checks', 'approvals', 'decisions', 'overrides', 'policy'] as const;

/** The open part of a release below links to all parts. The position on the page stays, unless a link names the parts. */
export function ReleaseParts({ children }: { readonly children: ReactNode }) {
  const params = useParams({ from: '/session/w/$org/releases/$id' });
  const { pathname } = useLocation();
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
