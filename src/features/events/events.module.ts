import { Module } from '@nestjs/common';
import { SessionReader } from '../../auth/session/session.reader.js';
import { EventNotices } from './event-notices.reader.js';
import { EventStreams } from './event-streams.service.js';
import { EventsController } from './events.controller.js';
import { EventsReader } from './events.reader.js';
import { EventsRecorder } from './events.recorder.js';

@Module({
  controllers: [EventsController],
  providers: [EventNotices, EventStreams, EventsReader, EventsRecorder, SessionReader],
  exports: [EventsRecorder],
})
export class EventsModule {}
