first
	second
