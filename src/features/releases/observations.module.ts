import { Module } from '@nestjs/common';
import { PolicyModule } from '../policy/policy.module.js';
import { FactHints } from './facts/fact-hints.repository.js';
import { Observer } from './facts/fact-reader.service.js';
import { KnownPolicyReader } from './facts/known-policy.reader.js';
import { ObservationsReader } from './facts/observations.reader.js';
import { ObservationsRecorder } from './facts/observations.recorder.js';

@Module({
  imports: [PolicyModule],
  providers: [FactHints, KnownPolicyReader, ObservationsReader, ObservationsRecorder, Observer],
  exports: [FactHints, KnownPolicyReader, ObservationsReader, ObservationsRecorder, Observer],
})
export class ObservationsModule {}
