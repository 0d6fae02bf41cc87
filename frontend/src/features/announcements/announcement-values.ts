import type { AnnouncementSeverity } from '@/announcements/queries';
import { fromWallTime, toWallTime } from '@/lib/dates';
import type { Announcement } from './queries';

/** The fields of the forms, named as the server names them when it refuses one. */
export interface AnnouncementValues {
  title: string;
  message: string;
  severity: AnnouncementSeverity;
  audience: 'everybody' | 'some';
  audienceRoles: string[];
  audienceUsers: string[];
  /** YYYY-MM-DDTHH:mm on a clock of the organisation. */
  startsAt: string;
  /** The same, and nothing at all for no end. */
  endsAt: string;
  isActive: boolean;
  dismissible: boolean;
}

/** In the order on screen. */
export const ANNOUNCEMENT_FIELDS = [
  'title',
  'message',
  'severity',
  'audienceRoles',
  'audienceUsers',
  'startsAt',
  'endsAt',
  'isActive',
  'dismissible',
] as const satisfies readonly (keyof AnnouncementValues)[];

export const TITLE_LENGTH = 120;
export const MESSAGE_LENGTH = 500;

/** A message is one paragraph: the banner has one line. */
export function oneParagraph(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}

/** Characters as a person counts them, which is how the server does. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** One that concerns everybody from now on. */
export function newAnnouncement(timeZone: string, now: Date = new Date()): AnnouncementValues {
  return {
    title: '',
    message: '',
    severity: 'info',
    audience: 'everybody',
    audienceRoles: [],
    audienceUsers: [],
    startsAt: toWallTime(now, timeZone),
    endsAt: '',
    isActive: true,
    dismissible: true,
  };
}

export function announcementValues(announcement: Announcement, timeZone: string): AnnouncementValues {
  const { title, message, severity, isActive, dismissible } = announcement;
  const { audienceRoles, audienceUsers, startsAt, endsAt } = announcement;
  const some = audienceRoles.length + audienceUsers.length > 0;
  return {
    title,
    message,
    severity,
    audience: some ? 'some' : 'everybody',
    audienceRoles,
    audienceUsers,
    startsAt: toWallTime(startsAt, timeZone),
    endsAt: endsAt ? toWallTime(endsAt, timeZone) : '',
    isActive,
    dismissible,
  };
}

type Times = Pick<Announcement, 'startsAt' | 'endsAt'>;

/** The fields hold minutes: a time that nobody touched stays what it was, to the second. */
export function announcementInput(values: AnnouncementValues, timeZone: string, was?: Times) {
  const { title, message, severity, audience, isActive, dismissible } = values;
  const { audienceRoles, audienceUsers } = values;
  const instant = (text: string, before: string | null | undefined) =>
    before && toWallTime(before, timeZone) === text ? before : fromWallTime(text, timeZone);
  return {
    title: title.trim(),
    message: oneParagraph(message),
    severity,
    audienceRoles: audience === 'some' ? audienceRoles : [],
    audienceUsers: audience === 'some' ? audienceUsers : [],
    // The rules of the form let no text through that is no time.
    startsAt: instant(values.startsAt, was?.startsAt) ?? '',
    endsAt: values.endsAt ? (instant(values.endsAt, was?.endsAt) ?? null) : null,
    isActive,
    dismissible,
  };
}
