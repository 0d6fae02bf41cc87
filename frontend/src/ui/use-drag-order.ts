import { type DragEvent, useState } from 'react';

/**
 * Returns props for rows that can be reordered by dragging a handle. Only a mouse can drag, so give each row buttons as
 * well.
 */
export function useDragOrder(onMove: (id: string, to: number) => void) {
  const [dragged, setDragged] = useState<string>();
  return {
    /** The row being dragged. */
    dragged,
    row: (index: number) => ({
      onDragOver: (event: DragEvent) => {
        if (dragged === undefined) return;
        event.preventDefault();
        onMove(dragged, index);
      },
      onDrop: (event: DragEvent) => event.preventDefault(),
    }),
    handle: (id: string) => ({
      'aria-hidden': true,
      draggable: true,
      onDragStart: ({ dataTransfer }: DragEvent) => {
        dataTransfer.effectAllowed = 'move';
        // Some browsers do not start a drag without data.
        dataTransfer.setData('text/plain', id);
        setDragged(id);
      },
      onDragEnd: () => setDragged(undefined),
      className: 'cursor-grab text-muted pointer-coarse:hidden',
    }),
  };
}
