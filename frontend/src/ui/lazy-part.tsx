import { type ComponentType, lazy, useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from './toast';

/** Says that a part could not be fetched, and leaves the page as it was before somebody asked for it. */
function MissingPart({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation('common');
  const leave = useEffectEvent(() => {
    toast.error(t('partMissing'), { id: 'part-missing' });
    onLeave();
  });
  useEffect(() => leave(), []);
  return null;
}

/**
 * A dialog or another part that is fetched when it is first wanted. One that does not arrive must not
 * take the page down with it, with all that was typed there.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  leave: (props: Props) => void,
) {
  return lazy(async () => {
    try {
      return await load();
    } catch {
      return { default: (props: Props) => <MissingPart onLeave={() => leave(props)} /> };
    }
  });
}
