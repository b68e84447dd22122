import { Heading } from '@primer/react';
import type { Schema } from '../../../api/client.js';
import { Sha } from '../../../ui/links.js';
import { Facts } from '../../../ui/screen.js';
import { text } from '../../../texts/en/overrides.js';
import { Sentences } from '../sentences.js';
import { divideForBreakGlass } from './coverage.js';

interface BreakGlassEffectProps {
  readonly details: Schema<'ReleaseDetails'>;
  readonly sha: string;
}

/** The commit that break-glass opens the gate for, the conditions that it sets aside, and those that it cannot. */
export function BreakGlassEffect({ details, sha }: BreakGlassEffectProps) {
  const { covered, notCovered } = divideForBreakGlass(details);
  const { candidateSha, candidateUrl } = details.release;
  return (
    <>
      <Facts
        entries={[[text.facts.commit, <Sha key="sha" sha={sha} href={sha === candidateSha ? candidateUrl : null} />]]}
      />
      <Heading as="h2" variant="small">
        {text.breakGlassCovers}
      </Heading>
      {covered.length > 0 ? <Sentences items={covered} /> : <p>{text.nothingToOverride}</p>}
      {notCovered.length > 0 && (
        <>
          <Heading as="h2" variant="small">
            {text.breakGlassCannot}
          </Heading>
          <Sentences items={notCovered} />
          <p>
            <strong>{text.breakGlassOpensNothing}</strong>
          </p>
        </>
      )}
    </>
  );
}
