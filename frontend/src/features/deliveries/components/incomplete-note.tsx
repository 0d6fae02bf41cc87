import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { Note } from '@/ui/note';
import type { Delivery } from '../delivery-queries';

interface IncompleteNoteProps {
  delivery: Pick<Delivery, 'incompleteUploadLogId'>;
  /** What to do about it here. */
  text: string;
  className?: string;
}

/** An import brought some of the lines and refused others. */
export function IncompleteNote({ delivery, text, className }: IncompleteNoteProps) {
  const { t } = useTranslation('deliveries');
  const { incompleteUploadLogId: uploadLog } = delivery;
  if (!uploadLog) return null;
  return (
    <Note tone="warn" title={t('incomplete.title')} className={className}>
      <p>
        {text}{' '}
        <Link to={routes.uploadedDetails({ uploadLog })} className="text-accent hover:underline">
          {t('view.showImport')}
        </Link>
      </p>
    </Note>
  );
}
