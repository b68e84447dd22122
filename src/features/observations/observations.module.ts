import { Module } from '@nestjs/common';
import { PolicyModule } from '../policy/policy.module.js';
import { FactHints } from './fact-hints.recorder.js';
import { KnownPolicyReader } from './known-policy.reader.js';
import { ObservationsReader } from './observations.reader.js';
import { ObservationsRecorder } from './observations.recorder.js';
import { Observer } from './observer.service.js';

@Module({
  imports: [PolicyModule],
  providers: [FactHints, KnownPolicyReader, ObservationsReader, ObservationsRecorder, Observer],
  exports: [FactHints, KnownPolicyReader, ObservationsReader, ObservationsRecorder, Observer],
})
export class ObservationsModule {}
