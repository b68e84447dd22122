import { Module } from '@nestjs/common';
import { PolicyModule } from '../policy/policy.module.js';
import { KnownPolicyReader } from './known-policy.reader.js';
import { ObservationsReader } from './observations.reader.js';
import { ObservationsRecorder } from './observations.recorder.js';
import { Observer } from './observer.service.js';

@Module({
  imports: [PolicyModule],
  providers: [KnownPolicyReader, ObservationsReader, ObservationsRecorder, Observer],
  exports: [KnownPolicyReader, ObservationsReader, ObservationsRecorder, Observer],
})
export class ObservationsModule {}
