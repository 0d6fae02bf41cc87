import { cn } from '@/ui/cn';
import type { FormNotice } from '../queries';

/** Sentences in a frame, each after a word of its own. */
export function PaperNotices({ notices }: { notices: readonly FormNotice[] }) {
  if (notices.length === 0) return null;
  return (
    <div
      className={cn(
        'my-4 flex break-inside-avoid flex-col gap-1 rounded-box border px-3 py-2 text-xs',
        notices.some(({ urgent }) => urgent) ? 'border-fg' : 'border-line2',
      )}
    >
      {notices.map(({ lead, text }) => (
        <p key={`${lead} ${text}`} className="wrap-anywhere whitespace-pre-line">
          <span className="font-semibold">{lead}</span> <bdi>{text}</bdi>
        </p>
      ))}
    </div>
  );
}
