import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { StateView } from '@/ui/state-view';
import type { FormDelivery } from '../queries';

interface NoFormProps {
  delivery: FormDelivery;
  /** The version that was asked for, if one was. */
  asked: number | undefined;
  /** A paper with a code led here, so that paper was not issued here. */
  hasCode: boolean;
}

/** Why there is no form, or not that version of it, and where to go instead. */
export function NoForm({ delivery, asked, hasCode }: NoFormProps) {
  const { t } = useTranslation('forms');
  const { id, deliverystatus, formVersion } = delivery;
  const isVersionMissing = asked !== undefined && formVersion > 0;
  const reason = isVersionMissing
    ? 'noVersion'
    : deliverystatus === 'Pending'
      ? 'pending'
      : 'notIssued';
  return (
    <>
      {hasCode && (
        <Note tone="bad" role="alert" title={t('code.unknown.title')} className="m-4 md:m-6">
          {t('code.unknown.text')}
        </Note>
      )}
      <StateView
        kind="empty"
        className="my-auto"
        title={t(`empty.${reason}.title`, { version: asked })}
        text={t(`empty.${reason}.text`, { id, newest: formVersion })}
        actions={
          <>
            {isVersionMissing && (
              <Button asChild size={36}>
                <Link to={routes.viewForm({ deliveryId: id })}>{t('empty.newest')}</Link>
              </Button>
            )}
            <Button asChild variant="primary" size={36}>
              <Link to={routes.viewDelivery({ deliveryId: id })}>{t('empty.view')}</Link>
            </Button>
          </>
        }
      />
    </>
  );
}
