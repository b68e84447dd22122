import { Module } from '@nestjs/common';
import { PolicyModule } from '../policy/policy.module.js';
import { ObservationsReader } from './observations.reader.js';
import { ObservationsRecorder } from './observations.recorder.js';
import { Observer } from './observer.service.js';

@Module({
  imports: [PolicyModule],
  providers: [ObservationsReader, ObservationsRecorder, Observer],
  exports: [ObservationsReader, ObservationsRecorder, Observer],
})
export class ObservationsModule {}
