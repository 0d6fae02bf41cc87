import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { showFieldErrors } from '@/form/server-errors';
import { type Conflict, useConflict } from '@/form/use-conflict';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { ANNOUNCEMENT_FIELDS, announcementInput, type AnnouncementValues } from './announcement-values';
import { type Announcement, announcementVersionQuery, updateAnnouncementMutation } from './queries';

/** Saves an announcement and goes back to its page. */
export function useSaveAnnouncement(setError: UseFormSetError<AnnouncementValues>) {
  const { t } = useTranslation('announcements');
  const navigate = useNavigate();
  const timeZone = useTimeZone();
  const [, execute] = useMutation(updateAnnouncementMutation);
  const findConflict = useConflict(announcementVersionQuery);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();
  // A second press may come before the page is gone.
  const isSaved = useRef(false);

  function forget() {
    setFailure(undefined);
    setConflict(undefined);
  }

  /** `base` is what the fields were filled from. */
  async function save(base: Announcement, values: AnnouncementValues) {
    if (isSaved.current) return;
    forget();
    const { id, version } = base;
    const announcement = announcementInput(values, timeZone, base);
    const { data, error } = await execute({ input: { id, version, announcement } });
    if (data) {
      isSaved.current = true;
      toast.success(t('edit.done', { title: announcement.title }));
      await navigate(routes.viewAnnouncement({ id }));
      return;
    }
    const failed = normalizeError(error);
    const found = await findConflict(failed, { id }, version);
    setConflict(found);
    if (found) return;
    setFailure(failed);
    showFieldErrors(failed, ANNOUNCEMENT_FIELDS, setError);
  }

  return { failure, conflict, save, forget };
}
