package sortedlinks

// Ordered is what a heap of SiftDown holds. It is a source of sorted entries that knows whether
// its next entry comes before that of another source.
type Ordered[E any] interface{ ComesBefore(E) bool }

// SiftDown restores the order of a heap, whose first element comes before all others, after
// heap[i] has become larger. Sources whose next entries move on one at a time need no other
// operation of container/heap, and none of its calls through interfaces.
func SiftDown[E Ordered[E]](heap []E, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if heap[child].ComesBefore(heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
