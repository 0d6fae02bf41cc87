import { useTranslation } from 'react-i18next';
import { Checkbox } from '@/ui/checkbox';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Kbd } from '@/ui/kbd';

interface Offered {
  selects: boolean;
  edits: boolean;
}

interface HelpDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  enabled: boolean;
  onEnabledChange: (enabled: boolean) => void;
  /** What else the rows of this list can be. */
  offered: Offered;
}

const shortcuts: { keys: string[]; text: string; only?: keyof Offered }[] = [
  { keys: ['j'], text: 'help.next' },
  { keys: ['k'], text: 'help.previous' },
  { keys: ['Enter'], text: 'help.open_row' },
  { keys: ['e'], text: 'help.edit', only: 'edits' },
  { keys: ['x'], text: 'help.select', only: 'selects' },
  { keys: ['Esc'], text: 'help.clear', only: 'selects' },
  { keys: ['f'], text: 'help.filters' },
  { keys: ['[', ']'], text: 'help.pages' },
  { keys: ['?'], text: 'help.help' },
];

export function HelpDialog(props: HelpDialogProps) {
  const { open, onOpenChange, enabled, onEnabledChange, offered } = props;
  const { t } = useTranslation('list');
  const known = shortcuts.filter(({ only }) => !only || offered[only]);
  return (
    <Dialog open={open} onOpenChange={onOpenChange}>
      <DialogContent title={t('help.title')}>
        <dl className="divide-y divide-line">
          {known.map(({ keys, text }) => (
            <div key={text} className="flex h-9 items-center justify-between">
              <dt className="text-sm">{t(text)}</dt>
              <dd className="flex gap-1">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
        <Checkbox
          className="mt-3"
          label={t('help.enabled')}
          checked={enabled}
          onChange={({ target }) => onEnabledChange(target.checked)}
        />
      </DialogContent>
    </Dialog>
  );
}
