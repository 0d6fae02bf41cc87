import { useTranslation } from 'react-i18next';
import { useRoleName } from '@/auth/use-role-name';
import type { AnnouncementRow } from '../queries';

interface AudienceProps {
  announcement: Pick<AnnouncementRow, 'audienceRoles' | 'audienceUsers'>;
}

/** Beyond so many, names only say how many they are. */
const NAMES = 3;

/** Audience in words: everyone, or the roles and then the users. */
export function Audience({ announcement: { audienceRoles, audienceUsers } }: AudienceProps) {
  const { t } = useTranslation('announcements');
  const roleName = useRoleName();
  if (audienceRoles.length + audienceUsers.length === 0) return t('audience.everybody');
  const people =
    audienceUsers.length > NAMES
      ? [t('audience.people', { count: audienceUsers.length })]
      : audienceUsers;
  return [...audienceRoles.map(roleName), ...people].join(', ');
}
