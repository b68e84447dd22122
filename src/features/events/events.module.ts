import { Module } from '@nestjs/common';
import { EventsRecorder } from './events.recorder.js';

@Module({ providers: [EventsRecorder], exports: [EventsRecorder] })
export class EventsModule {}
