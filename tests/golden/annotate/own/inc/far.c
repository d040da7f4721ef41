found below inc
